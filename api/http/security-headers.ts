import type { RequestHandler } from 'express';
import helmet from 'helmet';
import { limits } from '../../config/limits.js';

/**
 * Sets the headers of every answer of the API (docs/security.md#headers-of-answers). Answers are JSON and load nothing, so the policy
 * allows nothing.
 */
export function securityHeaders(): RequestHandler {
  return helmet({
    contentSecurityPolicy: {
      useDefaults: false,
      directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"], baseUri: ["'none'"], formAction: ["'none'"] },
    },
    strictTransportSecurity: { maxAge: limits.hstsSeconds, includeSubDomains: true },
    referrerPolicy: { policy: 'no-referrer' },
    xFrameOptions: { action: 'deny' },
    // These headers are for pages and for obsolete browsers; a JSON answer is shorter without them.
    crossOriginOpenerPolicy: false,
    originAgentCluster: false,
    xDnsPrefetchControl: false,
    xDownloadOptions: false,
    xPermittedCrossDomainPolicies: false,
    xXssProtection: false,
  });
}
