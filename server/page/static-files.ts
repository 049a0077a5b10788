import express, { type Handler } from 'express';
import type { Assets } from './assets.ts';

/** Hashed names never change their content. */
const HASHED_NAME = /-[A-Z0-9]{8}\.(chunk\.)?[a-z0-9]+$/;

/** The built scripts, styles and media. */
export function staticFiles({ publicFolder }: Assets): Handler {
  return express.static(publicFolder, {
    index: false,
    redirect: false,
    setHeaders: (res, path) => {
      const cacheControl = HASHED_NAME.test(path)
        ? 'public, max-age=31536000, immutable'
        : 'public, max-age=3600';
      res.setHeader('Cache-Control', cacheControl);
    },
  });
}
