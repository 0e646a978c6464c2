/** The pages in the hidden frame of a checkout in which the issuer inspects the payer's browser. Payers do not see them. */
import { html } from '../html.js';
import type { Language } from '../language.js';
import { type Page, page } from './layout.view.js';

interface MethodModel {
  readonly language: Language;
  /** Issuer's page (`threeDSMethodURL`). */
  readonly url: string;
  readonly methodData: string;
  /** Where a browser without scripts goes instead: the issuer cannot inspect it. */
  readonly skipPath: string;
}

const title = '3DS method';

export function methodPage({ language, url, methodData, skipPath }: MethodModel): Page {
  const body =
    () => html`<form id="send" method="post" action="${url}"><input type="hidden" name="threeDSMethodData" value="${methodData}"></form>
<noscript><meta http-equiv="refresh" content="0;url=${skipPath}"></noscript>`;
  return page({ language, title, scripts: ['send-form.js'], body });
}

/** The inspection is over: the page around the frame continues by itself. */
export const methodDonePage = (language: Language): Page => page({ language, title, body: () => html`` });
