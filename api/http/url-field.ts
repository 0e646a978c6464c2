import type { CustomHelpers } from 'joi';
import { limits } from '../../config/limits.js';
import { nullable, text } from '../../shared/contract/joi.js';
import { webUrlProblem } from '../../shared/outbound/target-url.js';

function checkUrl(url: string, helpers: CustomHelpers): unknown {
  const problem = webUrlProblem(url);
  return problem === undefined ? url : helpers.error('field.invalid', { reason: problem });
}

/**
 * An address of the integrator in a body. It refuses what no environment takes; what depends on the environment is checked where the
 * address is used.
 */
export const urlField = () => nullable(text(limits.urlLengthMax).custom(checkUrl, 'url'));
