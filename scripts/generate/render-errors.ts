/** Renders `docs/errors.md` from the catalogue and the list of decline codes (`npm run generate`). */
import { type ErrorCode, type ErrorType, errorCatalogue } from '../../shared/contract/error-catalogue.js';
import { declineCodes } from '../../shared/domain/decline-codes.js';

const INTRODUCTION = `# Errors

Every answer other than success is this envelope. Branch on \`code\`; \`message\` is for people and may change.

| field | meaning |
|---|---|
| \`code\` | stable machine-readable code, from the tables below |
| \`message\` | what was wrong and what to do |
| \`type\` | \`api-error\`, \`invalid-request-error\`, \`card-error\` or \`processor-error\` |
| \`status\` | the HTTP status |
| \`traceId\` | id of the call, also in the header \`X-Trace-Id\`: quote it to the operator. A replayed answer has the id of the first call; its header has that of this one |
| \`params\` | field path (\`paymentMethod.card.number\`, \`items.0.name\`) to a list of texts; never a value that was sent |
| \`declineCode\` | only for some declines of the processor: [the reason](#decline-codes) |

When one field fails its check the answer has that field's own code; when two or more fail, or one is missing, it is
\`request-validation-errors\` and \`params\` names them all.
`;

const sections = {
  'invalid-request-error':
    'The request has to change before it is sent again. Nothing was stored, and the `referenceId` is still free unless the code is `duplicated-reference-id`.',
  'card-error':
    'The card, or what was sent of it, cannot be used. Nothing was stored, and the `referenceId` is still free.',
  'processor-error':
    'The processor or the issuer said no. The payment exists (`params.paymentId`) and has used its `referenceId`: another try is a new payment. A refused capture, cancellation or refund leaves its payment as it was; another try needs a new `referenceId`.',
  'api-error':
    'Everything that is not about the content of the request. With 429 and 503 retry after the interval in `Retry-After`.',
} as const satisfies Record<ErrorType, string>;

/** Remarks on codes that differ from what their section says of all its codes. */
const remarks: Partial<Record<ErrorCode, string>> = {
  'duplicated-reference-id': '`params` has `existingId`, `existingStatus` and `sameRequest`.',
  'invalid-card-payment-method-token': 'With `params.paymentId`: deleted meanwhile, that payment failed.',
  'acquirer-offline': 'With `resultCode` `40` the processor never takes it: do not retry.',
  timeout: 'The payment may exist: send the same request with the same `referenceId`.',
  'internal-error': 'The payment may exist: send the same request with the same `referenceId`.',
};

const codes = Object.keys(errorCatalogue) as ErrorCode[];

function tableOf(type: ErrorType): string {
  const rows = codes
    .filter((code) => errorCatalogue[code].type === type)
    .sort((a, b) => errorCatalogue[a].status - errorCatalogue[b].status || (a < b ? -1 : 1))
    .map((code) => {
      const { status, message } = errorCatalogue[code];
      const remark = remarks[code];
      return `| \`${code}\` | ${status} | ${message}${remark ? ` ${remark}` : ''} |`;
    });
  return ['| code | status | meaning |', '|---|---|---|', ...rows].join('\n');
}

const DECLINES = `## Decline codes

The reason of a decline as the processor or the issuer gave it: \`declineCode\` of the error and of the transaction. Stripe's codes are passed on
as they are, and the other processors use the same names. A processor may answer a code that is not listed: treat it as \`generic_decline\`.
The last column says what helps: **another card or way** to pay, **the data of the card** corrected by the payer, the same card **later**,
**3D Secure**, or, for a capture, cancellation or refund, **another operation**.
`;

function declineTable(): string {
  const rows = Object.entries(declineCodes).map(([code, [helps, text]]) => `| \`${code}\` | ${text} | ${helps} |`);
  return ['| `declineCode` | meaning | what helps |', '|---|---|---|', ...rows].join('\n');
}

export function errorsPage(): string {
  const parts = (Object.entries(sections) as [ErrorType, string][]).map(
    ([type, about]) => `## ${type}\n\n${about}\n\n${tableOf(type)}\n`,
  );
  return [INTRODUCTION, ...parts, DECLINES, `${declineTable()}\n`].join('\n');
}
