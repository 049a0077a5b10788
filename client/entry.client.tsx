import { REGISTER_SECTION_ID } from '#shared/page.ts';
import { layOutSections } from './islands/lay-out-sections.ts';
import { loadPatiently } from './islands/load-patiently.ts';
import { nextTask } from './islands/next-task.ts';
import { onApproach } from './islands/on-approach.ts';
import { reportMissingSection } from './islands/report-missing-section.ts';
import { whenWanted } from './islands/when-wanted.ts';
import { followStoredTheme } from './ui/theme.ts';

/*
 * All that runs at load. The page is whole without the application, which follows when it does not stand in the way of
 * anything; what is pressed before is kept.
 */
const library = { id: 'library', load: () => import('./islands/library.ts') };
const application = { id: 'application', load: () => import('./islands/start-application.tsx') };

/** Addresses, which the build fills in. */
declare const APPLICATION_FILES: readonly string[];
declare const STEPPER_FILES: readonly string[];

async function start(): Promise<void> {
  preload(APPLICATION_FILES);
  await loadPatiently(library);
  await nextTask();
  const { startApplication } = await loadPatiently(application);
  await nextTask();
  startApplication();
}

/** With the application, not after it, when a visitor is near the stepper already. */
function preloadStepper(): void {
  const approach = new AbortController();
  const near = (): void => {
    approach.abort();
    preload(STEPPER_FILES);
  };
  onApproach(REGISTER_SECTION_ID, near, approach.signal);
}

/** All at once: each import would wait for the one before. Earlier, they would take the line from the first view. */
function preload(files: readonly string[]): void {
  for (const file of files) {
    const link = document.createElement('link');
    link.rel = 'modulepreload';
    link.href = file;
    document.head.append(link);
  }
}

followStoredTheme();
layOutSections();
reportMissingSection();
whenWanted(start);
preloadStepper();
