// Tests what the template tag escapes and what it leaves unchanged.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { html, verbatim } from '../../src/page/html.ts';

describe('html', () => {
  it('escapes characters that could end a text or an attribute', () => {
    expect(html`<a title="${`"'<>&`}">${'<b>'}</a>`.toString()).toBe(
      '<a title="&quot;&#39;&lt;&gt;&amp;">&lt;b&gt;</a>',
    );
  });

  it('accepts numbers, lists and markup, and shows nothing for null', () => {
    expect(html`${1}${null}${['<', html`<i>${'&'}</i>`, [2]]}`.toString()).toBe('1&lt;<i>&amp;</i>2');
  });

  it('leaves verbatim text unchanged', () => {
    expect(html`<style>${verbatim('a > b {}')}</style>`.toString()).toBe('<style>a > b {}</style>');
  });

  it('escapes every text so that it is not markup, and loses none of it', () => {
    const entities: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" };
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const safe = html`${text}`.toString();
        expect(safe).not.toMatch(/[<>"']/);
        expect(safe.replace(/&([^;]*);/g, (_, name: string) => entities[name] ?? 'unknown')).toBe(text);
      }),
    );
  });
});
