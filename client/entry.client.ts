import { REGISTER_SECTION_ID, SCRIPTS_ELEMENT_ID, type Scripts } from '#shared/page.ts';
import { layOutSections } from './islands/lay-out-sections.ts';
import { loadPatiently } from './islands/load-patiently.ts';
import { nextTask } from './islands/next-task.ts';
import { untilNear } from './islands/until-near.ts';
import { untilWanted } from './islands/until-wanted.ts';
import { followStoredTheme } from './ui/theme.ts';

/*
 * All that runs at load: a file by itself. The page is whole without the application, which follows when it does not
 * stand in the way of anything; what is pressed before is kept.
 */
followStoredTheme();
layOutSections();
start();
document.addEventListener('click', reportMissingSection);

async function start(): Promise<void> {
  const scripts: Scripts = JSON.parse(document.getElementById(SCRIPTS_ELEMENT_ID)?.textContent ?? '');
  const near = untilNear(REGISTER_SECTION_ID);
  near.then(() => preload(scripts.stepper));
  await Promise.race([near, untilWanted()]);
  const { library, application, imports } = scripts;
  preload([library, application, ...imports]);
  await loadPatiently({ id: 'library', path: library, load: () => import(library) });
  await nextTask();
  const { startApplication } = await loadPatiently({
    id: 'application',
    path: application,
    load: (): Promise<typeof import('./islands/application.tsx')> => import(application),
  });
  await nextTask();
  startApplication();
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

/** Says so in the console when a call to action is pressed on a page without its register section (R1.14). */
function reportMissingSection({ target }: Event): void {
  if (!(target instanceof Element) || !target.closest(`a[href="#${REGISTER_SECTION_ID}"]`)) return;
  // biome-ignore lint/suspicious/noConsole: the specified reaction
  if (!document.getElementById(REGISTER_SECTION_ID)) console.error('Register section not found');
}
