import { symlink, unlink } from 'node:fs/promises';
import { resolve } from 'node:path';

/** A build that can be replaced by another build at the same path. */
export interface Release {
  path: string;
  become(build: string): Promise<void>;
}

export async function releaseAt(path: string, build: string): Promise<Release> {
  await symlink(resolve(build), path);
  return {
    path,
    async become(other) {
      await unlink(path);
      await symlink(resolve(other), path);
    },
  };
}
