import assert from 'node:assert/strict';
import { test } from 'node:test';
import { asModule } from './unwrap-react.ts';

test('a CommonJS script becomes a module that imports and exports the same', () => {
  const script =
    'var React = require("react"),\n  other = 1;\nexports.version = "19";\nexports.render = function () {};';
  assert.equal(
    asModule(script),
    [
      'import required0 from "react";',
      'var React = required0,',
      '  other = 1;',
      'export const version = "19";',
      'export const render = function () {};',
    ].join('\n'),
  );
});

test('a CommonJS construct that a module cannot express fails the build', () => {
  for (const script of [
    'module.exports = 1;',
    'if (1) exports.a = 1;',
    'var a = require(name);',
    'exports["a"] = 1;',
    'exports = {};',
    'Object.defineProperty(exports, "a", {});',
  ]) {
    assert.throws(() => asModule(script), /in a way that a module cannot/, script);
  }
});
