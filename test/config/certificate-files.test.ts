/** Files of certificate authorities are checked when a process starts: with a broken certificate Node silently trusts fewer servers. */
import { rootCertificates } from 'node:tls';
import { authoritiesProblem } from '../../config/certificate-files.js';

const [good = ''] = rootCertificates;
const broken = good.replace(/MII./, 'AAAA');

test.each([
  ['one certificate', good, undefined],
  ['several', `# first\n${good}\n# second\n${good}`, undefined],
  ['none', 'no certificate', 'holds no certificate in PEM'],
  ['a broken one', broken, 'holds a certificate that cannot be read: number 1 of 1'],
  ['a broken one behind a good one', `${good}\n${broken}`, 'holds a certificate that cannot be read: number 2 of 2'],
  ['a cut one', good.slice(0, -40), 'holds no certificate in PEM'],
  ['a cut one behind a good one', `${good}\n${good.slice(0, -40)}`, 'holds a certificate that begins and does not end'],
  ['a cut one before a good one', `${good.slice(0, -40)}\n${good}`, 'holds a certificate that begins and does not end'],
])('a file with %s', (_name, text, problem) => {
  expect(authoritiesProblem(text)).toBe(problem);
});
