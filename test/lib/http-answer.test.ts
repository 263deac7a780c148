// Tests which answers count as pages for people.

import { expect, test } from 'vitest';
import { isHtml } from '../../src/lib/http-answer.ts';

test.each([
  '<div class="login">',
  '<form action="/login">',
  '<center><h1>502 Bad Gateway</h1></center>',
  '<h1>Sign in</h1>',
  '<p>blocked</p>',
  '<a href="/login">Found</a>.',
  '\ufeff <!-- gateway --> <!----><div>',
  '<!doctype\nHTML>',
  '<?xml version="1.0"?>\n<!-- gateway -->\n<html xmlns="http://www.w3.org/1999/xhtml">',
  '<?xml version="1.0"?><!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Strict//EN">',
  '<!-- a comment without an end',
])('%j is a page', (text) => {
  expect(isHtml(text)).toBe(true);
});

test.each([
  '',
  'ok',
  '< 5 ms',
  '<@U1>, <#C1>',
  '{"text":"<html>"}',
  'ok <html>',
  '<?xml version="1.0"?>',
  '<?xml version="1.0"?><Response><Message>ok</Message></Response>',
  '<?xml version="1.0"?><!-- a --><?xml-stylesheet href="a.xsl"?><htmlish/>',
  '<!doctype note>',
  '<Response/>',
  '<response><status>ok</status></response>',
  '<?xml version="1.0"',
])('%j is no page', (text) => {
  expect(isHtml(text)).toBe(false);
});

test.each([
  ['<!-- a -->', '<div>', true],
  ['<!-- a -->', 'ok', false],
  ['<?xml?>', '<div>', false],
  ['<!--', '', true],
  [' ', 'ok', false],
])('64 KiB of %j and then %j take linear time', (piece, end, expected) => {
  expect(isHtml(piece.repeat(65_536 / piece.length) + end)).toBe(expected);
});
