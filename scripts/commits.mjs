#!/usr/bin/env node
// `npm run commits -- origin/main`: checks the subjects of all commits since then against CONTRIBUTING.md. The git hook checks a
// single one (`--message`).
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { messageProblem, subjectProblem } from './setup/commit-subject.mjs';
import { lastOutputLines, runCommand } from './setup/run-command.mjs';

const { values, positionals } = parseArgs({ options: { message: { type: 'string' } }, allowPositionals: true });

/** @param {string} file */
function checkMessage(file) {
  const problem = messageProblem(readFileSync(file, 'utf8'));
  if (!problem) return 0;
  console.error(`The subject of this commit ${problem}.\nExample: fix(links): expire unused link sessions after a day`);
  return 1;
}

/** @param {string} base a commit, branch or tag */
async function checkSince(base) {
  const result = await runCommand('git', ['log', '--no-merges', '--format=%h %s', '--end-of-options', `${base}..HEAD`]);
  if (result.code !== 0) {
    console.error(`The commits since ${base} cannot be read: ${lastOutputLines(result)}`);
    return 2;
  }
  const commits = result.stdout.split('\n').filter(Boolean);
  const problems = commits.flatMap((line) => {
    const [hash = '', subject = ''] = line.split(/ (.*)/, 2);
    const problem = subjectProblem(subject, { final: true });
    return problem ? [`${hash} "${subject}" ${problem}.`] : [];
  });
  for (const problem of problems) console.error(problem);
  console.log(`${commits.length} commits since ${base}, ${problems.length} to reword.`);
  return problems.length > 0 ? 1 : 0;
}

const [base] = positionals;
if (values.message !== undefined) process.exitCode = checkMessage(values.message);
else if (base !== undefined) process.exitCode = await checkSince(base);
else {
  console.error('Since when? For example `npm run commits -- origin/main`.');
  process.exitCode = 2;
}
