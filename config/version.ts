/** Version of this release. `npm run release` writes this file together with package.json. */
export const version = '0.2.0';
