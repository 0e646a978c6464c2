/** Functions of the tests are not named anew each time they are made. */
import { transformSync } from 'esbuild';
import { load } from '../../scripts/setup/names-as-written.mjs';

const loadedAs = async (source: string | Uint8Array) => {
  const next = () => ({ format: 'module', source, shortCircuit: true }) as const;
  return (await load('file:///a.ts', { conditions: [], format: 'module', importAttributes: {} }, next)).source;
};

test('what esbuild makes names no function, and is as long', async () => {
  const { code } = transformSync('export const add = (a, b) => a + b;', { keepNames: true, minifyWhitespace: true });
  expect(code).toContain('__defProp(');
  const source = await loadedAs(code);
  expect(source).not.toContain('__defProp(');
  expect(source).toHaveLength(code.length);
  expect(await import(`data:text/javascript,${encodeURIComponent(String(source))}`)).toMatchObject({
    add: expect.any(Function),
  });
});

test('bytes are left as they are', async () => {
  const bytes = Buffer.from('__defProp(target,"name",{value,configurable:true})');
  expect(await loadedAs(bytes)).toBe(bytes);
});
