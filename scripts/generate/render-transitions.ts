/** Renders the table of transitions for docs/states.md: exactly the moves that are possible. Pure. */
import { paymentStatuses } from '../../shared/domain/payment/statuses.js';
import { corrections, isFinal, movesOf, paymentEvents } from '../../shared/domain/payment/transitions.js';

/** Mermaid allows no hyphen in the id of a state, so such a state has an id beside its name. */
const stateId = (status: string) => status.replaceAll('-', '_');

/** Returns Mermaid text (`stateDiagram-v2`): one arrow per move of the table, final states marked. Ends with a line break. */
export function renderTransitions(): string {
  const names = paymentStatuses
    .filter((status) => stateId(status) !== status)
    .map((status) => `  state "${status}" as ${stateId(status)}`);
  const arrows = paymentStatuses.flatMap((from) => {
    const moves: Partial<Record<string, string>> = movesOf(from);
    return paymentEvents.flatMap((event) => {
      const to = moves[event];
      return to === undefined ? [] : [`  ${stateId(from)} --> ${stateId(to)}: ${event}`];
    });
  });
  const ends = paymentStatuses.filter(isFinal).map((status) => `  ${stateId(status)} --> [*]`);
  return `${['stateDiagram-v2', ...names, '  [*] --> created', ...arrows, ...ends].join('\n')}\n`;
}

/** Returns the whole page docs/states.md. */
export function statesPage(): string {
  const rows = paymentStatuses.map((status) => {
    const next = Object.entries(movesOf(status)).map(([event, to]) => `${event} → \`${to}\``);
    const moves = isFinal(status)
      ? ['final', ...next.slice(0, 1).map((first) => `but ${first}`), ...next.slice(1)]
      : next;
    return `| \`${status}\` | ${moves.join(', ')} |`;
  });
  return [
    '# States of a payment',
    '',
    'Printed from `shared/domain/payment/transitions.ts` by `npm run generate`: change the table, not this page.',
    'A move that is not drawn here is refused, counted as `illegal-transition` and changes nothing.',
    `\`returned\` and \`partly-returned\` are the one way back, from ${Object.keys(corrections)
      .map((status) => `\`${status}\``)
      .join(' and ')}: a bank returns a refund that was approved.`,
    '',
    '```mermaid',
    `${renderTransitions()}\`\`\``,
    '',
    '| status | moves |',
    '|---|---|',
    ...rows,
    '',
  ].join('\n');
}
