import { nameOf, planRepetition } from '../../bench/plan.mjs';

type Cell = { subject: string; conc: number };

const CONC = [1, 16, 64, 256];
const names = (repetition: number): string[] => planRepetition(CONC, repetition).map(nameOf);

test('every repetition measures the gateway and the monolith at each concurrency, and the other floors once', () => {
  for (const repetition of [0, 1, 2, 3, 7]) {
    const expected = [
      ...CONC.flatMap((conc) => [`gateway c=${conc}`, `F2 c=${conc}`, `F2p c=${conc}`]),
      'F1 c=64',
      'F3 c=64',
      'F4 c=64',
    ];
    expect(names(repetition).sort()).toEqual(expected.sort());
  }
});

test('cells that are compared run next to each other', () => {
  for (const repetition of [0, 1, 2, 3]) {
    const order = names(repetition);
    for (const conc of CONC) {
      for (const floor of ['F2', 'F2p']) {
        expect(Math.abs(order.indexOf(`gateway c=${conc}`) - order.indexOf(`${floor} c=${conc}`))).toBe(1);
      }
    }
  }
});

test('the first cell changes between repetitions, and so does the first of a pair', () => {
  const firsts = new Set([0, 1, 2, 3, 4].map((repetition) => names(repetition)[0]));
  expect(firsts.size).toBe(5);
  const gatewayFirst = (cells: Cell[]) =>
    cells.findIndex(({ subject, conc }) => subject === 'gateway' && conc === 64) <
    cells.findIndex(({ subject, conc }) => subject === 'F2' && conc === 64);
  expect(gatewayFirst(planRepetition(CONC, 0))).not.toBe(gatewayFirst(planRepetition(CONC, 1)));
});
