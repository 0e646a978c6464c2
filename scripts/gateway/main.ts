/** Entry of the operator command line: `./gateway …` (docs/command-line.md). */
import { processEnvironment } from '../../config/index.js';
import { exitCodes, run } from './run.js';

/** EPIPE is no failure: a reader such as `head` has seen enough. After any other error the answer is lost, even if it was a new API key. */
process.stdout.on('error', ({ code }: NodeJS.ErrnoException) => {
  if (code === 'EPIPE') return;
  console.error(`gateway: done, but the answer could not be written: ${code}.`);
  process.exit(exitCodes.refused);
});

process.exitCode = await run(process.argv.slice(2), {
  env: processEnvironment(),
  out: (text) => console.log(text),
  err: (text) => console.error(text),
});
