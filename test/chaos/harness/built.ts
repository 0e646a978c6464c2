/** The tests run the processes that would be deployed: the compiled `dist/`. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { build, isBuilt } from '../../../scripts/setup/build.mjs';
import { withLock } from '../../../scripts/setup/lock.mjs';
import { local, root } from '../../../scripts/setup/paths.mjs';
import { createProgress } from '../../../scripts/setup/progress.mjs';

/**
 * Returns the folder of the build, which is updated first when the sources changed. `CHAOS_DIST` names another build, which is used as
 * it is.
 */
export async function builtFolder(): Promise<string> {
  const given = process.env.CHAOS_DIST;
  if (given) {
    if (!existsSync(join(root, given, 'api/main.js'))) throw new Error('CHAOS_DIST names no build');
    return join(root, given);
  }
  if (!isBuilt(root)) {
    await withLock(join(local, 'prepare.lock'), () =>
      build(
        root,
        createProgress(() => undefined),
      ),
    );
  }
  return join(root, 'dist');
}

/** Returns the build of an earlier release that runs beside this one (`npm run upgrade-check`); undefined when this release runs alone. */
export function earlierFolder(): string | undefined {
  const given = process.env.CHAOS_EARLIER_DIST;
  if (given && !existsSync(join(given, 'api/main.js'))) throw new Error('CHAOS_EARLIER_DIST names no build');
  return given || undefined;
}
