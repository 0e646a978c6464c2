/** Worked examples of the wallet endpoints. */
export const merchant1001 = { merchantId: '1001' };

const walletAProfile = {
  profileMode: 'service',
  walletMerchantId: null,
  walletMerchantName: 'Sandbox Books',
  walletMerchantOrigin: 'shop.example.com',
  allowedAuthMethods: ['CRYPTOGRAM_3DS', 'PAN_ONLY'],
  allowedOrigins: ['https://shop.example.com'],
  tosAcceptedAt: '2026-11-20T12:00:00.000Z',
  tosVersion: '2026-11',
};

const configured = { configuredAt: '2026-11-20T12:00:00.000Z', lastUpdatedAt: '2026-11-20T12:00:00.000Z' };

export const walletA = {
  walletType: 'wallet-a-pay',
  enabled: true,
  mode: 'both',
  status: 'active',
  ...configured,
  walletAPayProfile: walletAProfile,
};

export const certificate = {
  type: 'self-managed',
  status: 'active',
  merchantIdentifier: 'merchant.com.example.shop',
  expiresAt: '2028-11-20T12:00:00.000Z',
  uploadedAt: '2026-11-20T12:00:00.000Z',
};

export const pendingCertificate = {
  type: 'self-managed',
  status: 'pending',
  merchantIdentifier: null,
  expiresAt: null,
  uploadedAt: null,
};

export const walletB = {
  walletType: 'wallet-b-pay',
  enabled: true,
  mode: 'both',
  status: 'active',
  ...configured,
  certificate,
};

export const disabled = { enabled: false, mode: null, status: 'not_configured' };
