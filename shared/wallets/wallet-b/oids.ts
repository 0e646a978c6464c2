/** Object identifiers of the EC_v1 scheme and of the CMS structures it uses. */
export const oids = {
  signedData: '1.2.840.113549.1.7.2',
  contentData: '1.2.840.113549.1.7.1',
  contentType: '1.2.840.113549.1.9.3',
  messageDigest: '1.2.840.113549.1.9.4',
  signingTime: '1.2.840.113549.1.9.5',
  sha256: '2.16.840.1.101.3.4.2.1',
  ecdsaWithSha256: '1.2.840.10045.4.3.2',
  /** Marks the certificate that signs tokens. */
  tokenSigner: '1.2.840.113635.100.6.29',
  /** Marks the authority that issues the signer's certificate. */
  tokenAuthority: '1.2.840.113635.100.6.2.14',
  /** Holds the digest of the merchant identifier in a payment processing certificate. */
  merchantIdentifier: '1.2.840.113635.100.6.32',
} as const;
