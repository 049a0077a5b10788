import type { ComponentType } from 'react';
import { keepProgress } from '#client/registration/progress/progress.ts';
import { Registration } from '#client/registration/registration.tsx';
import type { AppStore } from '#client/store/store.ts';
import { REGISTER_SECTION_ID } from '#shared/page.ts';
import { ScheduleTable } from './schedule-table.tsx';
import { SiteMenu } from './site-menu.tsx';
import { Videos } from './videos.tsx';

export interface IslandEntry {
  id: string;
  Content: ComponentType;
  /** Hydrated when the application starts; the other islands wait until a visitor comes near. */
  early?: true;
  /** Runs once the island is hydrated, before the presses made in it earlier are replayed. */
  onHydrated?: (store: AppStore) => Promise<void>;
}

/** Every part of the page that is hydrated. All else is HTML only: its code never reaches a browser. */
export const islands = [
  { id: 'menu', Content: SiteMenu, early: true },
  { id: 'schedule', Content: ScheduleTable },
  { id: 'videos', Content: Videos },
  { id: REGISTER_SECTION_ID, Content: Registration, onHydrated: keepProgress },
] as const satisfies readonly IslandEntry[];

export type IslandId = (typeof islands)[number]['id'];
