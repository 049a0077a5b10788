import { Router } from 'express';
import type { Assets } from '#server/page/assets.ts';

export interface OfficeDependencies {
  assets: Assets;
}

/** The office's pages, for who is signed in, and the page that signs in. */
export function createOffice(_dependencies: OfficeDependencies): Router {
  return Router();
}
