/** The rules for the metadata of 3D Secure settings, which are checked again at each payment. */
import { metadataProblems } from '../../shared/threeds-providers/metadata-rules.js';

/** `URL.canParse` of Node 20 changes its answer after some thousand calls. */
const CALLS = 50_000;

test('an address with letters such as ü stays valid however often it is checked', () => {
  const metadata = { requestorUrl: 'https://bücher.example/' };
  let refused = 0;
  for (let calls = 0; calls < CALLS; calls += 1) {
    if (Object.keys(metadataProblems('emv3ds', metadata)).length > 0) refused += 1;
  }
  expect(refused).toBe(0);
});

test.each(['http://shop.example', 'shop.example', 'https://'])('%p is no address of a requestor', (requestorUrl) => {
  expect(metadataProblems('emv3ds', { requestorUrl })).toEqual({ requestorUrl: 'must be an https address' });
});
