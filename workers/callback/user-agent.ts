/** Version of the gateway as it presents itself to receivers; a test keeps it equal to package.json. */
export const userAgent = 'payment-gateway/0.1.0';
