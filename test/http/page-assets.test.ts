// Tests the page's assets: all that it loads are served, cacheable for good, and nothing else is served.

import { describe, expect, it } from 'vitest';
import { readPageAssets } from '../../src/status-page/assets.ts';
import { startServer } from './support.ts';

describe('the page', () => {
  it('may load and run only assets of its server', async () => {
    await using server = await startServer();
    const { headers } = await fetch(server.url);
    const policy = headers.get('content-security-policy')?.split('; ');
    expect(policy?.[0]).toBe("default-src 'none'");
    expect(policy).toContain("script-src 'self'");
    expect(policy).toContain("require-trusted-types-for 'script'");
    expect(policy?.join()).not.toMatch(/unsafe|https?:|\*/);
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('content-type')).toBe('text/html; charset=utf-8');
  });

  it('has no inline scripts or styles', async () => {
    await using server = await startServer();
    const page = await (await fetch(server.url)).text();
    expect(page.match(/<script(?![^>]* src="assets\/)|<style| style=| on\w+=/g)).toBeNull();
  });

  it('finds all assets that it and its modules name, and they may be cached for good', async () => {
    await using server = await startServer();
    const page = await (await fetch(server.url)).text();
    const open = [...page.matchAll(/(?:src|href)="(assets\/[^"]+)"/g)].map(
      ([, path]) => `${server.url}/${path}`,
    );
    const seen = new Map<string, string>();
    for (let url = open.pop(); url !== undefined; url = open.pop()) {
      if (seen.has(url)) continue;
      const response = await fetch(url);
      expect([url, response.status]).toEqual([url, 200]);
      expect(response.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
      seen.set(url, response.headers.get('content-type') ?? '');
      const imports = [
        ...(await response.text()).matchAll(/(?:^(?:import|\} from)\b[^']*|\bimport\()'(\.[^']+)'/gm),
      ];
      open.push(...imports.map(([, path = '']) => new URL(path, url).href));
    }
    const types = new Set(seen.values());
    expect(types).toEqual(
      new Set(['text/javascript; charset=utf-8', 'text/css; charset=utf-8', 'image/svg+xml']),
    );
    const { base, files } = await readPageAssets();
    expect([...seen.keys()].map((url) => url.slice(server.url.length + base.length + 2)).sort()).toEqual(
      [...files.keys()].filter((name) => !TYPE_MODULES.includes(name)).sort(),
    );
  });

  it.each([
    ['another version', '/assets/0123456789abcdef/main.ts'],
    ['no version', '/assets/main.ts'],
    ['a file outside', '/assets/BASE/../http/server.ts'],
    ['a file outside, encoded', '/assets/BASE/..%2fhttp%2fserver.ts'],
    ['a file outside, encoded twice', '/assets/BASE/%252e%252e/http/server.ts'],
    ['a file of the system', '/assets/BASE//etc/passwd'],
    ['a declaration', '/assets/BASE/uplot.d.ts'],
    ['a folder', '/assets/BASE/views'],
    ['a property of objects', '/assets/BASE/__proto__'],
  ])('does not serve %s', async (_, path) => {
    await using server = await startServer();
    const { base } = await readPageAssets();
    const response = await fetch(server.url + path.replace('assets/BASE', base));
    expect(response.status).toBe(404);
    expect(await response.json()).toEqual({ error: 'not found' });
  });
});

/** Modules with only types, whose imports disappear when types are stripped. */
const TYPE_MODULES = ['pages/page.ts', 'answers.ts'];
