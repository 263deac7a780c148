// Tests proxywatch probe against proxies on loopback: its report, its conclusion, exit codes, and masked credentials.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, test } from 'vitest';
import { type ProbeOptions, probe } from '../../src/cli/probe/probe.ts';
import { TextPattern } from '../../src/lib/text-pattern.ts';
import { TESTED_PROXIES } from '../../src/store/source-proxy-store.ts';
import { openSqliteStore } from '../../src/store/sqlite/sqlite-store.ts';
import { createFolder } from '../config/support.ts';
import { answers, FakeProxy, type Handler, httpTunnel, socksTunnel } from '../prober/fake-proxy.ts';
import { greet, startTarget } from '../prober/run-probe.ts';
import { runToEnd } from './program.ts';
import { type CommandResult, configText, runCommand } from './run-command.ts';

const CA_FILE = join(import.meta.dirname, '../fixtures/provider-certificates/ca.pem');
const OTHER_CA_FILE = join(import.meta.dirname, '../fixtures/certificates/other-ca.pem');
const ID = '0b6e3c1a-2f4d-4c8e-9a7b-5d1f00c2e3a4';

const run = (
  proxy: string,
  url: string,
  options: Partial<ProbeOptions> = {},
  input: readonly string[] = [],
): Promise<CommandResult> => {
  const all = { timeout: 15_000, format: 'text', ...options } as const;
  return runCommand(probe, { proxy, url, ...all }, undefined, input);
};

/** Probes through a fake proxy, as alice with the password pa55word. */
const through = async (
  handler: Handler,
  options: Partial<ProbeOptions> = {},
  url = 'https://shop.example/hook/hidden-1',
) => {
  await using proxy = await FakeProxy.start(handler);
  return await run(`http://alice:pa55word@127.0.0.1:${proxy.port}`, url, options);
};

const lastLine = ({ stdout }: CommandResult): string => stdout.trimEnd().split('\n').at(-1) ?? '';

describe('a proxy that works', () => {
  it.each([
    ['http', httpTunnel],
    ['socks5', socksTunnel],
  ] as const)('is shown with its phases, certificate and bytes: %s', async (protocol, handler) => {
    await using target = await startTarget(greet);
    await using proxy = await FakeProxy.start(handler(target.port, 'alice:pa55word'));
    const result = await run(`${protocol}://alice:pa55word@127.0.0.1:${proxy.port}`, 'https://localhost/', {
      targetCaFile: CA_FILE,
    });
    expect(result).toMatchObject({ code: 0, stderr: '' });
    for (const phase of ['connect', 'tunnel', 'tls'])
      expect(result.stdout).toMatch(new RegExp(`^${phase} +[\\d.]+ ms  ok$`, 'm'));
    expect(result.stdout).toMatch(/^response +[\d.]+ ms {2}ok, status 200$/m);
    expect(result.stdout).toMatch(/^certificate +valid, issued by proxywatch test provider ca$/m);
    expect(result.stdout).toMatch(/ valid until \d{4}-\d\d-\d\d \([\d,]+ days left\), trusted$/m);
    expect(result.stdout).toMatch(/^bytes +[\d,]+ sent, [\d,]+ received$/m);
    expect(lastLine(result)).toBe('The proxy works.');
  });

  it('is compared with the target without it', async () => {
    await using target = await startTarget(greet);
    const url = `https://localhost:${target.port}/`;
    const result = await through(httpTunnel(target.port), { targetCaFile: CA_FILE, control: true }, url);
    expect(result.stdout).toMatch(/^control +[\d.]+ ms {2}without the proxy: ok, status 200$/m);
  });
});

describe('a proxy that fails', () => {
  it('is explained in one sentence, with the id for support', async () => {
    const refusal = `HTTP/1.1 429 No\r\nx-byteful-status-code: 4221\r\nx-byteful-request-id: ${ID}\r\n\r\n`;
    const result = await through(answers(refusal));
    expect(result.code).toBe(1);
    expect(result.stdout).toMatch(
      /^tunnel +[\d.]+ ms {2}FAILED: the limit of bandwidth or traffic is exceeded/m,
    );
    expect(result.stdout).toContain('proxy answer  status 429, code 4221\n');
    expect(result.stdout).toContain(`request id    ${ID} (quote this id to the provider's support)\n`);
    expect(lastLine(result)).toBe(
      'The proxy fails (tunnel_quota): the limit of bandwidth or traffic is exceeded (status 429, code 4221); check the limits and the remaining traffic of the proxy user.',
    );
  });

  it('is not blamed if the target fails without it too', async () => {
    const handler = answers('HTTP/1.1 502 No\r\n\r\n');
    const result = await through(handler, { control: true }, 'https://127.0.0.1:1/');
    expect(result.code).toBe(1);
    expect(lastLine(result)).toMatch(
      /^The proxy is probably not at fault, because the target fails without it too/,
    );
    expect(result.stdout).toMatch(/^control .*FAILED in the phase connect: the connection was refused/m);
  });

  it('is distinguished from a target that answers something else', async () => {
    await using target = await startTarget((_, response) => void response.writeHead(503).end());
    const result = await through(
      httpTunnel(target.port),
      { targetCaFile: CA_FILE, status: [200] },
      'https://localhost/',
    );
    expect(lastLine(result)).toMatch(
      /^The proxy works, but the target does not answer as expected \(response_status\): .* status 503/,
    );
  });

  it('is distinguished from a certificate that is not trusted', async () => {
    await using target = await startTarget(greet, 'expired');
    const result = await through(httpTunnel(target.port), { targetCaFile: CA_FILE }, 'https://localhost/');
    expect(result.stdout).toMatch(/\(expired [\d,]+ days ago\), NOT trusted$/m);
    expect(lastLine(result)).toContain('the certificate of the target has expired');
    // A file with an authority does not help against an expired certificate.
    expect(lastLine(result)).toMatch(/ask its operator to renew the certificate\.$/);
  });

  it('is said once to have answered with a status', async () => {
    await using target = await startTarget((_, response) => void response.writeHead(503).end());
    const result = await through(httpTunnel(target.port), { targetCaFile: CA_FILE }, 'https://localhost/');
    expect(result.stdout).toMatch(/^response .*FAILED: the target answered with the status 503$/m);
  });

  it('shows what did not answer within the time limit', async () => {
    const result = await through(() => {}, { timeout: 300 });
    expect(lastLine(result)).toContain(
      'the proxy did not open the tunnel within the time limit of the probe (0.3 s)',
    );
  });

  it('is suspected of interception if the certificate is trusted without it', async () => {
    await using target = await startTarget(greet);
    await using interceptor = await startTarget(greet, 'self-signed');
    const options = { targetCaFile: CA_FILE, control: true } as const;
    const result = await through(httpTunnel(interceptor.port), options, `https://localhost:${target.port}/`);
    expect(lastLine(result)).toMatch(
      /^The target has a trusted certificate without the proxy, but not through it/,
    );
  });
});

test('JSON has the same findings', async () => {
  await using target = await startTarget(greet);
  const options = { format: 'json', targetCaFile: CA_FILE, control: true } as const;
  const result = await through(httpTunnel(target.port), options, 'https://localhost/');
  expect(JSON.parse(result.stdout)).toMatchObject({
    ...{ success: true, failure: null, status: 200, certificate: { subject: 'valid', trusted: true } },
    proxy: { protocol: 'http', host: '127.0.0.1', has_login: true },
    target: { origin: 'https://localhost', depth: 'http' },
    phases_ms: { connect: expect.any(Number), tunnel: expect.any(Number) },
    control: { success: false, failure: { cause: 'refused' } },
  });
});

describe('--verbose', () => {
  /** Repeats what it received, encoded, as a proxy could do by mistake. */
  const echo: Handler = (socket) => {
    socket.once('data', (bytes) => {
      const hex = encodeURIComponent(bytes.toString('latin1')).replaceAll('.', '%2E');
      const login = encodeURIComponent('alice:pa55word').replaceAll('a', '%61');
      socket.end(`HTTP/1.1 403 No\r\nX-Echo: ${hex}\r\nX-Login: ${login}\r\nServer: squid\r\n\r\n`);
    });
  };

  it.each(['text', 'json'] as const)(
    'prints each step without credentials and without the path: %s',
    async (format) => {
      const result = await through(echo, { verbose: true, format });
      expect(result.stderr).toMatch(/^> CONNECT shop\.example:443 HTTP\/1\.1$/m);
      expect(result.stderr).toMatch(/^> Proxy-Authorization: \[masked\]$/m);
      expect(result.stderr).toMatch(/^< HTTP\/1\.1 403 No$/m);
      expect(result.stderr).toMatch(/^< Server: squid$/m);
      expect(`${result.stdout}${result.stderr}`).not.toMatch(/pa55|p%615|hidden|YWxpY2U6/);
    },
  );
});

describe('the proxy', () => {
  it('can be a line of standard input, which is in no output', async () => {
    await using proxy = await FakeProxy.start(httpTunnel(1, 'alice:other'));
    const lines = [`127.0.0.1:${proxy.port}:alice:pa55`, 'word\nnext line\n'];
    const result = await run('-', 'https://shop.example/', { depth: 'tunnel' }, lines);
    expect(lastLine(result)).toContain('(tunnel_credentials)');
    expect(Buffer.from(/Basic (\S+)/.exec(proxy.received[0] ?? '')?.[1] ?? '', 'base64').toString()).toBe(
      'alice:pa55word',
    );
    expect(JSON.stringify(result)).not.toContain('pa55');
  });

  it.each([
    ['fr-1', 'proxy: fr-1 is not a line such as host:port:username:password. To name a proxy of'],
    ['127.0.0.1:99999:alice:pa55word', 'proxy: expected a port from 1 to 65535'],
    ['127.0.0.1:80:alice:pa55word ', 'proxy: the line is a text with a blank or a line break at its end'],
    ['socks4://127.0.0.1:1', 'proxy: expected the scheme http, https or socks5'],
    ['http://::1:8000', 'proxy: expected an IPv6 address in brackets, and then the port'],
    ['203.0.113.4 8000 alice pa55word', 'proxy: the text is not a line such as host:port:username:password'],
    ['-', 'standard input: it is empty; expected the line of a proxy, such as host:port:username:password'],
  ])('%s is refused with the exit code 2', async (proxy, message) => {
    const result = await run(proxy, 'https://shop.example/');
    expect(result).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining(message) });
    expect(result.stderr).not.toContain('pa55');
  });
});

test.each([
  ['ftp://shop.example/', {}, 'url: expected an address that begins with https:// or http://'],
  ['shop', {}, 'url: expected an address that begins with https:// or http://'],
  ['https://', {}, 'url: the address has a mistake; expected one such as https://www.example.com/'],
  [
    'https://shop.example/',
    { caFile: '/no/such/file' },
    '--ca-file: only a proxy whose line begins with https',
  ],
  [
    'http://shop.example/',
    { targetCaFile: CA_FILE },
    '--target-ca-file: a URL that begins with http:// has no',
  ],
  ['https://shop.example/', { targetCaFile: '/no/f' }, '--target-ca-file: cannot read /no/f (no such file)'],
  ['https://shop.example/', { targetCaFile: import.meta.filename }, 'contains no certificate (PEM)'],
  ['https://shop.example/', { account: 'main' }, '--account: add --config too'],
])('%s with %j is refused with the exit code 2', async (url, options, message) => {
  const result = await run('127.0.0.1:1', url, options);
  expect(result).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining(message) });
});

describe('what is expected of the answer', () => {
  it.each([
    [{ depth: 'tls', status: [200] }, '--status: only a probe of depth http has an answer; use --depth http'],
    [
      { depth: 'tunnel', header: { server: new TextPattern('x') } },
      '--header: only a probe of depth http has an answer',
    ],
    [{ depth: 'tls', body: new TextPattern('x') }, '--body: only a probe of depth http has an answer'],
  ] as const)('contradicts a smaller depth: %j', async (options, message) => {
    const result = await run('127.0.0.1:1', 'https://shop.example/', options);
    expect(result).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining(message) });
  });

  it('contradicts TLS with an address that has none', async () => {
    expect(await run('127.0.0.1:1', 'http://shop.example/', { depth: 'tls' })).toMatchObject({
      code: 2,
      stderr: 'error: --depth: a URL that begins with http:// has no TLS; use tunnel or http\n',
    });
  });
});

test('--ca-file trusts the certificate of the proxy', async () => {
  await using proxy = await FakeProxy.start(httpTunnel(1), { hasTls: true });
  const probeWith = (caFile: string) =>
    run(`https://127.0.0.1:${proxy.port}`, 'https://shop.example/', { caFile, depth: 'tunnel' });
  expect(lastLine(await probeWith(OTHER_CA_FILE))).toContain('(connect_certificate)');
  expect(lastLine(await probeWith(CA_FILE))).not.toContain('(connect_certificate)');
});

describe('with a configuration', () => {
  const ACCOUNT = { baseUrl: 'http://127.0.0.1:1/1.0', publicKey: 'k', privateKey: 's' };

  /** Returns the file. The account has a proxy of each kind, and a url. */
  const configure = (port: number, folder: string): string => {
    const file = join(folder, 'config.yaml');
    writeFileSync(join(folder, 'list.txt'), `127.0.0.1:${port}:carol:pa55word\n`);
    const tests = {
      urls: [{ name: 'shop', url: 'https://shop.example/?token=hidden-1' }],
      proxies: [
        { name: 'fr-1', proxy_id: 'p-1', proxy: `127.0.0.1:${port}:alice:pa55word` },
        { file: 'list.txt' },
      ],
    };
    const probes = {
      urls: [{ name: 'deep', url: 'https://deep.example/', depth: 'tunnel' }],
      proxies: [{ name: 'open', proxy: `socks5://127.0.0.1:${port}` }],
    };
    writeFileSync(
      file,
      configText(ACCOUNT, { proxy_tests: tests, probes }, { store: { path: join(folder, 'p.db') } }),
    );
    return file;
  };

  it.each(['fr-1', 'p-1'])('finds the proxy %s and the url by their names', async (name) => {
    await using proxy = await FakeProxy.start(httpTunnel(1, 'alice:other'));
    const config = configure(proxy.port, createFolder({}));
    const result = await run(name, 'shop', { config, account: 'main' });
    expect(lastLine(result)).toContain('(tunnel_credentials)');
    expect(proxy.received[0]).toMatch(/^CONNECT shop\.example:443 /);
    expect(JSON.stringify(result)).not.toMatch(/pa55|hidden/);
  });

  it('finds a proxy of a file, and one of the probes, with the depth of the url', async () => {
    await using proxy = await FakeProxy.start(
      answers(Buffer.from([5, 0]), Buffer.from([5, 0, 0, 1, 0, 0, 0, 0, 0, 0])),
    );
    const config = configure(proxy.port, createFolder({}));
    expect(await run('open', 'deep', { config })).toMatchObject({ code: 0 });
    const fromFile = await run(`127.0.0.1:${proxy.port}`, 'deep', { config });
    expect(fromFile.stdout).toContain('with a user name and password');
  });

  it('asks a configured url for an answer if one is expected, although its depth is tunnel', async () => {
    await using target = await startTarget(greet);
    await using proxy = await FakeProxy.start(socksTunnel(target.port));
    const config = configure(proxy.port, createFolder({}));
    const probeWith = (options: Partial<ProbeOptions>) =>
      run('open', 'deep', { config, targetCaFile: CA_FILE, ...options });
    expect((await probeWith({})).stdout).toContain('depth tunnel\n');
    for (const expected of [
      { status: [418] },
      { header: { server: new TextPattern('x') } },
      { body: new TextPattern('nonsense') },
    ]) {
      const { code, stdout } = await probeWith(expected);
      expect([code, stdout]).toEqual([1, expect.stringContaining('depth http\n')]);
    }
  });

  it.each([
    ['203.0.113.4 8000 alice s3cret', 'shop', {}, 'proxy: the configuration has no proxy of this name'],
    ['fr-1', 'shop.example/hook?token=s3cret', {}, 'url: the configuration has no URL of this name'],
    ['fr-1', 'shop', { account: 'main@s3cret' }, '--account: there is no account of this name'],
  ])('does not repeat what may be a secret: %s, %s', async (proxy, url, options, message) => {
    const result = await run(proxy, url, { config: configure(1, createFolder({})), ...options });
    expect(result).toMatchObject({ code: 2, stderr: expect.stringContaining(message) });
    expect(result.stderr).not.toContain('s3cret');
  });

  it.each([
    ['fr-2', 'shop', {}, 'proxy: the configuration has no proxy called fr-2; did you mean fr-1?'],
    ['fr-1', 'shot', {}, 'url: the configuration has no URL called shot; did you mean shop?'],
    ['fr-1', 'shop', { account: 'mainn' }, '--account: there is no account called mainn; did you mean main?'],
  ])('suggests what %s and %s could mean', async (proxy, url, options, message) => {
    const result = await run(proxy, url, { config: configure(1, createFolder({})), ...options });
    expect(result).toMatchObject({ code: 2, stderr: `error: ${message}\n` });
  });

  it('says that the password of a proxy from a source is only in the memory of the daemon', async () => {
    const folder = createFolder({});
    const config = configure(1, folder);
    const facts = {
      name: '',
      providerId: 'p-9',
      productType: '',
      protocol: 'http',
      username: 'u',
      facts: null,
    };
    {
      using store = openSqliteStore({ path: join(folder, 'p.db'), firstStepHoldMs: 0 });
      const found = { id: 'p-9', host: '127.0.0.1', port: 1, ...facts };
      await store.sourceProxies.save('main', TESTED_PROXIES, [found], [], 0);
    }
    const result = await run('p-9', 'shop', { config });
    expect(result).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('only in the memory of the daemon'),
    });
  });

  it('shows the mistakes of the configuration with the exit code 2', async () => {
    const config = join(createFolder({ 'config.yaml': 'accounts: 1\n' }), 'config.yaml');
    expect(await run('fr-1', 'shop', { config })).toMatchObject({
      ...{ code: 2, stdout: '' },
      stderr: expect.stringContaining('config.yaml:1'),
    });
  });
});

describe('the program', () => {
  it.each([
    [['probe', '127.0.0.1:1', 'https://localhost/'], 1],
    [['probe', '127.0.0.1:1'], 2],
    [['probe', '127.0.0.1:1', 'https://localhost/', '--timeout', 'soon'], 2],
    [['probe', '127.0.0.1:1', 'https://localhost/', '--header', 'server'], 2],
    [['probe', '127.0.0.1:1', 'https://localhost/', '--nonsense'], 2],
    [['probe', '--help'], 0],
  ])('%j ends with the exit code %s', async (args, code) => {
    expect((await runToEnd(...args)).code).toBe(code);
  });

  it('does not repeat the arguments if there are too many of them', async () => {
    const result = await runToEnd('probe', '127.0.0.1:1:alice:pa55', 'word', 'https://localhost/');
    expect(result).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringContaining('too many arguments'),
    });
    expect(result.stderr).not.toMatch(/pa55|word/);
  });
});
