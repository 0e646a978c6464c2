import { errorSentences } from '../../api/pages/error-sentences.js';
import { textsOf } from '../../api/pages/language.js';

const request = { method: 'POST', originalUrl: '/links/0', headers: {} };

test.each([
  [undefined, 'Too many requests. Wait a moment and try again.'],
  [60, 'Too many requests. Wait a moment and try again.'],
  [61, 'Too many requests. Try again in 2 minutes.'],
  [3_600, 'Too many requests. Try again in 60 minutes.'],
])('after too many requests a page says how long to wait, of %s seconds', (retryAfterSeconds, sentence) => {
  const [title, sentences] = errorSentences(request, { status: 429, retryAfterSeconds }, textsOf.en);
  expect([title, ...sentences]).toEqual(['One moment, please', sentence]);
});
