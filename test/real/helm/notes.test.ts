// Tests what Helm prints after an installation.

import { expect, test } from 'vitest';
import { describeWith } from '../with-programs.ts';
import { CASES } from './cases.ts';
import { useRenderer } from './renderer.ts';

describeWith(['go'], 'the notes', () => {
  const render = useRenderer();
  const notesOf = async (name: string) =>
    (await render(CASES[name], { release: { namespace: 'prod' } })).notes;

  test('show how to see that proxywatch works', async () => {
    const notes = await notesOf('defaults');
    expect(notes).toMatch(/^proxywatch \d+\.\d+\.\d+, 1 of 1 shard\n/);
    expect(notes).toContain('kubectl -n prod get secret proxywatch-keys\n');
    expect(notes).toContain('kubectl -n prod exec proxywatch-0 -- proxywatch doctor');
    expect(notes).toContain('kubectl -n prod port-forward pod/proxywatch-0 9876');
    expect(notes).toContain('connections from the namespace monitoring,');
    expect(notes).toContain('There is no ServiceMonitor.');
    expect(notes).not.toContain('<no value>');
  });

  test('say that shards do not run', async () => {
    const notes = await notesOf('three shards, all stopped');
    expect(notes).toMatch(/^proxywatch \S+, 0 of 3 shards\n\nSome shards do not run/);
    expect(notes).not.toContain('doctor');
    expect(await notesOf('three shards')).not.toContain('do not run');
  });

  test('do not speak of what there is not', async () => {
    expect(await notesOf('everything off')).not.toMatch(/secret|NetworkPolicy/);
    expect(await notesOf('everything on')).not.toContain('There is no ServiceMonitor.');
  });
});
