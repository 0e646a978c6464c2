/** Entry of the operator command line: `./gateway …` (docs/command-line.md). */
import { processEnvironment } from '../../config/index.js';
import { run } from './run.js';

process.exitCode = await run(process.argv.slice(2), {
  env: processEnvironment(),
  out: (text) => console.log(text),
  err: (text) => console.error(text),
});
