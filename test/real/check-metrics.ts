// Checks an exposition with promtool.

import { spawn } from 'node:child_process';

/** Returns the exit code of promtool, 0 if it finds nothing wrong, and its output. */
export const checkMetrics = async (text: string): Promise<{ code: unknown; output: string }> => {
  const child = spawn('promtool', ['check', 'metrics'], { stdio: ['pipe', 'pipe', 'pipe'] });
  let output = '';
  child.stdout.on('data', (chunk) => {
    output += chunk;
  });
  child.stderr.on('data', (chunk) => {
    output += chunk;
  });
  child.stdin.end(text);
  const code = await new Promise((resolve) => child.once('close', resolve));
  return { code, output };
};
