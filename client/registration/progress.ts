import { loadChunk } from '#client/chunks/load-chunk.ts';
import type { StepperState } from '#client/store/stepper-slice.ts';
import type { AppStore, RootState } from '#client/store/store.ts';
import { registrationSteps } from '#shared/content/registration-steps.ts';
import { inStorage } from './browser-storage.ts';

const STORAGE_KEY = 'registration';

/** What is never kept: card data, even masked, and an agreement that has not been given yet. */
const NOT_KEPT = new Set(['cardNumber', 'cardExpiry', 'cardCvc', 'termsAgreement', 'website']);

const restoring = { id: 'restore-progress', load: () => import('./restore-progress.ts') };

type Draft = Record<string, string>;

/**
 * Keeps the registration in the tab's session storage, so that it survives a reload, such as after a visit to the
 * bank's app, and takes up what was kept before. It ends with the tab, and when the registration is abandoned; once it
 * is paid only what the completion view shows is kept.
 */
export async function keepProgress(store: AppStore): Promise<void> {
  await takeUp(store);
  let kept = toKeep(store.getState());
  store.subscribe(() => {
    const text = toKeep(store.getState());
    if (text !== kept) keep(text);
    kept = text;
  });
}

async function takeUp(store: AppStore): Promise<void> {
  const kept = inStorage('session', (storage) => storage.getItem(STORAGE_KEY));
  if (!kept || !store.getState().site.registrationOpen) return;
  try {
    const { restoreProgress } = await loadChunk(restoring);
    if (!hasBegun(store.getState().stepper)) restoreProgress(store, kept);
  } catch {
    // Without its chunk the stepper begins anew; what is kept waits for the next load.
  }
}

function hasBegun({ activeStep, data }: StepperState): boolean {
  return activeStep > 0 || data.package !== undefined;
}

/** What is kept of a state; undefined before a registration has begun. */
function toKeep({ stepper, form }: RootState): string | undefined {
  return hasBegun(stepper) ? JSON.stringify(keptOf(stepper, form)) : undefined;
}

function keep(text: string | undefined): void {
  inStorage('session', (storage) => {
    if (text === undefined) storage.removeItem(STORAGE_KEY);
    else storage.setItem(STORAGE_KEY, text);
  });
}

function keptOf(stepper: StepperState, forms: RootState['form']): StepperState {
  if (stepper.activeStep < registrationSteps.length) return { ...stepper, drafts: draftsOf(stepper, forms) };
  const {
    package: packageId,
    idempotencyKey,
    cardPaymentIntent,
    confirmationMail,
    email = '',
  } = stepper.data;
  const shown = { package: packageId, idempotencyKey, cardPaymentIntent, confirmationMail, email };
  return { ...stepper, data: shown, drafts: {} };
}

/** What was typed and differs from what the forms were filled with. */
function draftsOf({ drafts }: StepperState, forms: RootState['form']): Record<string, Draft> {
  const typed = Object.entries(forms ?? {}).map(([name, { values, initial }]) => [
    name,
    { ...drafts[name], ...changesOf(values ?? {}, initial ?? {}) },
  ]);
  return { ...drafts, ...Object.fromEntries(typed) };
}

function changesOf(values: Record<string, unknown>, initial: Record<string, unknown>): Draft {
  const names = Object.keys({ ...initial, ...values }).filter((name) => !NOT_KEPT.has(name));
  const changed = names.filter((name) => (values[name] ?? '') !== (initial[name] ?? ''));
  return Object.fromEntries(changed.map((name) => [name, String(values[name] ?? '')]));
}
