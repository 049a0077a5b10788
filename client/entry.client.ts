import { REGISTER_SECTION_ID, SCRIPTS_ELEMENT_ID, type Scripts, START_FAILED_ID } from '#shared/page.ts';
import { isPressWaiting, untilNear } from './islands/before-hydration.ts';
import { type Chunk, loadChunk, untilLoaded } from './loading/load-chunk.ts';
import { nextTask, untilEvent, whenIdle } from './loading/when-idle.ts';
import { followStoredTheme } from './ui/theme.ts';

/** Signs that somebody is about to press something. */
const TOUCHES = ['pointerdown', 'touchstart', 'keydown', 'focusin', 'click'];

async function start(): Promise<void> {
  const scripts: Scripts = JSON.parse(document.getElementById(SCRIPTS_ELEMENT_ID)?.textContent ?? '');
  const near = untilNear(REGISTER_SECTION_ID);
  near.then(() => preload(scripts.stepper));
  await Promise.race([near, untilIdleOrTouched()]);
  const { library, application, imports } = scripts;
  preload([library, application, ...imports]);
  await loadWithRetry({ id: 'library', path: library, load: () => import(library) });
  await nextTask();
  const { startApplication } = await loadWithRetry({
    id: 'application',
    path: application,
    load: (): Promise<typeof import('./islands/application.tsx')> => import(application),
  });
  await nextTask();
  startApplication();
}

/**
 * Preloads the files in parallel: otherwise each import would wait for the one before. Not called earlier,
 * since these files would compete for bandwidth with the first view.
 */
function preload(files: readonly string[]): void {
  for (const file of files) {
    const link = document.createElement('link');
    link.rel = 'modulepreload';
    link.href = file;
    document.head.append(link);
  }
}

/** Logs to the console when a call to action is pressed on a page without its register section (R1.14). */
function reportMissingSection({ target }: Event): void {
  if (!(target instanceof Element) || !target.closest(`a[href="#${REGISTER_SECTION_ID}"]`)) return;
  // biome-ignore lint/suspicious/noConsole: the specified reaction
  if (!document.getElementById(REGISTER_SECTION_ID)) console.error('Register section not found');
}

/**
 * Resolves when the page has loaded and the browser is idle, or earlier: when a visitor first touches the
 * page, or at once if she has pressed something already.
 */
async function untilIdleOrTouched(): Promise<void> {
  if (isPressWaiting()) return;
  await Promise.race([untilEvent(TOUCHES), new Promise<void>((resolve) => whenIdle(resolve))]);
}

/** Loads a chunk needed for hydration. A failure is shown if one of the visitor's presses waits for it. */
function loadWithRetry<Module>(chunk: Chunk<Module>): Promise<Module> {
  return untilLoaded(
    () => {
      showFailure(false);
      return loadChunk(chunk);
    },
    (error) => {
      reportError(error);
      showFailure(isPressWaiting());
    },
  );
}

function showFailure(failed: boolean): void {
  const notice = document.getElementById(START_FAILED_ID);
  if (!notice) return;
  notice.hidden = !failed;
  const reload = notice.querySelector<HTMLElement>('[data-reload]');
  if (reload) reload.onclick = () => location.reload();
}

/** The sections whose layout page-section.css defers. */
const DEFERRED_SECTIONS = '.section ~ div > .section ~ .section';

/**
 * Ends the arrival phase (`data-arriving`): lays out the deferred sections, one per task, so that presses are
 * handled in between. Afterwards the sections no longer change size, wherever a visitor scrolls.
 */
async function layOutSections(): Promise<void> {
  const page = document.documentElement;
  const sections = [...document.querySelectorAll<HTMLElement>(DEFERRED_SECTIONS)];
  const waiting = sections.values();
  const next = (): void => {
    const { value: section } = waiting.next();
    if (section && 'arriving' in page.dataset) {
      section.style.contentVisibility = 'visible';
      whenIdle(next);
    } else {
      delete page.dataset.arriving;
      for (const { style } of sections) style.contentVisibility = '';
    }
  };
  // Otherwise late fonts would lay them out a second time.
  await document.fonts.ready;
  whenIdle(next);
}

/*
 * All that runs at load, in a file of its own. The page is complete without the application, which loads once
 * the browser is idle or a visitor interacts; presses before that are kept and replayed.
 */
followStoredTheme();
layOutSections();
start();
document.addEventListener('click', reportMissingSection);
