// Parses proxy strings: host:port:user:pass, or a URL with http or socks5.

export interface ProxyEndpoint {
  readonly host: string;
  readonly port: number;
  readonly username: string;
  readonly password: string;
  readonly protocol: 'http' | 'socks5';
}

/** Returns undefined if `text` has neither form. */
export const parseProxyString = (text: string): ProxyEndpoint | undefined =>
  text.includes('://') ? fromUrl(text) : fromParts(text);

const fromParts = (text: string): ProxyEndpoint | undefined => {
  const [, host, port, username, password] = /^([^:\s]+):(\d{1,5}):([^:]*):(.*)$/.exec(text) ?? [];
  if (host === undefined || username === undefined || password === undefined) return undefined;
  return { host, port: Number(port), username, password, protocol: 'http' };
};

const fromUrl = (text: string): ProxyEndpoint | undefined => {
  const [, scheme, username = '', password = '', host, port] =
    /^(https?|socks5?):\/\/(?:([^:@/]*):([^@/]*)@)?([^:@/\s]+):(\d{1,5})\/?$/.exec(text) ?? [];
  if (host === undefined || scheme === undefined) return undefined;
  return {
    host,
    port: Number(port),
    username: decodeURIComponent(username),
    password: decodeURIComponent(password),
    protocol: scheme.startsWith('socks') ? 'socks5' : 'http',
  };
};
