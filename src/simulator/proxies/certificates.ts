// Makes the simulator's own certificate authority, and certificates of its servers. They exist only in memory.

import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';
import { isIP, isIPv4 } from 'node:net';
import * as der from './der.ts';

interface Period {
  /** Both in ms. */
  readonly notBefore: number;
  readonly notAfter: number;
}

interface CertificateFields extends Period {
  readonly subject: string;
  readonly publicKey: KeyObject;
  readonly extensions: readonly Buffer[];
}

const ECDSA_WITH_SHA256 = der.sequence(der.objectId('1.2.840.10045.4.3.2'));
const SERIAL_BYTES = 15;

export class CertificateAuthority {
  /** The certificate of the authority (PEM). */
  readonly cert: string;
  readonly #name: string;
  readonly #keys = newKeys();

  constructor(name: string, period: Period) {
    this.#name = name;
    const { publicKey } = this.#keys;
    this.cert = this.#certificate({
      ...{ ...period, subject: name, publicKey },
      extensions: [
        extension('2.5.29.19', der.sequence(der.boolean(true)), true),
        // The authority signs certificates and lists of revoked ones.
        extension('2.5.29.15', der.bits(Buffer.from([0x06]), 1), true),
        extension('2.5.29.14', der.octets(keyId(publicKey))),
      ],
    });
  }

  /** Returns a certificate and its key (PEM) for the `names`: host names, and addresses without brackets. */
  issue(names: readonly string[], period: Period) {
    const { publicKey, privateKey } = newKeys();
    const cert = this.#certificate({
      ...{ ...period, subject: names[0] ?? 'simulator', publicKey },
      extensions: [
        extension('2.5.29.15', der.bits(Buffer.from([0x80]), 7), true),
        extension('2.5.29.37', der.sequence(der.objectId('1.3.6.1.5.5.7.3.1'))),
        extension('2.5.29.17', der.sequence(...names.map(alternativeName))),
        extension('2.5.29.14', der.octets(keyId(publicKey))),
        extension('2.5.29.35', der.sequence(der.taggedBytes(0, keyId(this.#keys.publicKey)))),
      ],
    });
    return { cert, key: String(privateKey.export({ type: 'pkcs8', format: 'pem' })) };
  }

  #certificate({ subject, publicKey, notBefore, notAfter, extensions }: CertificateFields): string {
    const content = der.sequence(
      der.tagged(0, der.integer(Buffer.from([2]))),
      der.integer(Buffer.concat([Buffer.from([1]), randomBytes(SERIAL_BYTES)])),
      ECDSA_WITH_SHA256,
      commonName(this.#name),
      der.sequence(der.time(notBefore), der.time(notAfter)),
      commonName(subject),
      publicKey.export({ type: 'spki', format: 'der' }),
      der.tagged(3, der.sequence(...extensions)),
    );
    const signature = sign('sha256', content, this.#keys.privateKey);
    return pem(der.sequence(content, ECDSA_WITH_SHA256, der.bits(signature)));
  }
}

const newKeys = () => generateKeyPairSync('ec', { namedCurve: 'P-256' });

const commonName = (name: string): Buffer =>
  der.sequence(der.set(der.sequence(der.objectId('2.5.4.3'), der.text(name))));

const extension = (id: string, value: Buffer, isCritical = false): Buffer =>
  der.sequence(der.objectId(id), ...(isCritical ? [der.boolean(true)] : []), der.octets(value));

const keyId = (key: KeyObject): Buffer =>
  createHash('sha1')
    .update(key.export({ type: 'spki', format: 'der' }))
    .digest();

const alternativeName = (name: string): Buffer =>
  isIP(name) === 0 ? der.taggedBytes(2, Buffer.from(name)) : der.taggedBytes(7, addressBytes(name));

const addressBytes = (address: string): Buffer => {
  if (isIPv4(address)) return Buffer.from(address.split('.').map(Number));
  const [left = '', right = ''] = address.split('::');
  const groups = (part: string) => (part === '' ? [] : part.split(':'));
  const [before, after] = [groups(left), groups(right)];
  const zeros = Array.from({ length: 8 - before.length - after.length }, () => '0');
  return Buffer.from([...before, ...zeros, ...after].map((group) => group.padStart(4, '0')).join(''), 'hex');
};

const pem = (certificate: Buffer): string => {
  const lines = certificate.toString('base64').match(/.{1,64}/g) ?? [];
  return ['-----BEGIN CERTIFICATE-----', ...lines, '-----END CERTIFICATE-----', ''].join('\n');
};
