/** Entry of the operator command line: `./gateway …` (docs/command-line.md). */
import { processEnvironment } from '../../config/index.js';
import { exitCodes, run } from './run.js';

/** A reader that has seen enough, as `head`, is no failure. Any other means that the answer is lost, were it a new API key. */
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
