import { type CommandGroup, UsageError } from '../command.js';
import { renderCompletion } from '../render-completion.js';

const shells = ['bash', 'zsh'];

export const completion: CommandGroup = {
  name: 'completion',
  summary: 'The Tab key completes commands and options.',
  commands: [
    {
      path: ['completion'],
      summary: 'Prints what teaches a shell to complete commands and options.',
      words: [{ name: 'shell', about: shells.join(' or ') }],
      examples: ['completion bash', 'completion zsh'],
      details:
        'For this shell: source <(./gateway completion bash). For every new one put that line into ~/.bashrc or ~/.zshrc.',
      print(input, groups) {
        const shell = input.word('shell');
        if (!shells.includes(shell)) throw new UsageError(`<shell> is ${shells.join(' or ')}.`, ['completion']);
        return renderCompletion(groups, shell);
      },
    },
  ],
};
