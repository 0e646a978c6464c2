import { settingsOf } from '../../../config/readers.js';
import type { Check } from './examined.js';
import { findingsOf } from './finding.js';

const { ok, missing, wrong, notice } = findingsOf('settings', 'docs/configuration.md');

const isMissing = (problem: string) => / is missing|is required|must be set too/.test(problem);

export const checkSettings: Check = ({ processes, problems, misspelt, environment, config }) => {
  const todo = 'Correct the setting in the environment of the processes that read it.';
  const found = problems.map((problem) => (isMissing(problem) ? missing : wrong)(problem, todo));
  const names = processes.join(', ');
  if (found.length === 0) found.push(ok(`${settingsOf(processes).length} settings of ${names}, for ${environment}`));
  found.push(
    ...misspelt.map((sentence) => notice(sentence, 'Correct the name, or leave it where another program reads it.')),
  );
  if (environment === 'production' && config.allowInsecureStores) {
    found.push(
      notice(
        'ALLOW_INSECURE_STORES: MongoDB and Redis may be without TLS or credentials',
        'Right in a private network only.',
      ),
    );
  }
  return found;
};
