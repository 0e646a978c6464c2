/** What every page says about the installation: settings that are the same for all merchants. */

import type { Application, Response } from 'express';
import type { ApiDeps } from '../deps.js';

export interface Site {
  /** No money moves, and every page says so. */
  readonly testing: boolean;
  /** Name of the operator. */
  readonly operator: string;
  readonly privacyUrl?: string | undefined;
  readonly termsUrl?: string | undefined;
  readonly supportUrl?: string | undefined;
}

/** A page, or a part of one, that the answer completes with the data of the installation. */
export type OfSite<Whole> = (site: Site) => Whole;

const DEFAULT_NAME = 'Gateway';
const SITE = 'pages site';

/** Stores the site on the application, where every response finds it. */
export function keepSite(app: Application, config: ApiDeps['config']): void {
  const site: Site = {
    testing: config.environment === 'testing',
    operator: config.pagesOperatorName ?? DEFAULT_NAME,
    privacyUrl: config.pagesPrivacyUrl,
    termsUrl: config.pagesTermsUrl,
    supportUrl: config.pagesSupportUrl,
  };
  app.set(SITE, site);
}

export const siteOf = ({ app }: Response): Site => app.get(SITE) as Site;
