import { loadChunk } from '#client/loading/load-chunk.ts';
import { readStored, writeStored } from '#client/store/browser-storage.ts';
import type { StepperState } from '#client/store/stepper-slice.ts';
import type { AppStore, RootState } from '#client/store/store.ts';
import { registrationSteps } from '#shared/content/registration.ts';
import { REGISTERED_STORAGE_KEY } from '#shared/page.ts';

const STORAGE_KEY = 'registration';

/** Form fields that are never kept: card data (even masked), the honeypot, and an unsubmitted agreement. */
const NOT_KEPT = new Set(['cardNumber', 'cardExpiry', 'cardCvc', 'termsAgreement', 'website']);

const restoring = { id: 'restore-progress', load: () => import('./restore-progress.ts') };

type Draft = Record<string, string>;

/**
 * Restores the registration from storage, and from then on stores each change in the tab's session storage,
 * so that it survives a reload, such as after a visit to the bank's app. It is removed with the tab, and when
 * the registration is abandoned; once paid, only what the completion view needs is kept.
 */
export async function keepProgress(store: AppStore): Promise<void> {
  await restoreKept(store);
  markRegistered(isOver(store.getState().stepper));
  let kept = progressOf(store.getState());
  store.subscribe(() => {
    const progress = progressOf(store.getState());
    if (progress !== kept) {
      writeStored('session', STORAGE_KEY, progress);
      markRegistered(isOver(store.getState().stepper));
    }
    kept = progress;
  });
}

async function restoreKept(store: AppStore): Promise<void> {
  const kept = readStored('session', STORAGE_KEY);
  if (!kept || !store.getState().site.registrationOpen) return;
  try {
    const { restoreProgress } = await loadChunk(restoring);
    if (!hasBegun(store.getState().stepper)) restoreProgress(store, kept);
  } catch {
    // Without its chunk the stepper starts empty; the stored registration stays for the next load.
  }
}

function hasBegun({ activeStep, data }: StepperState): boolean {
  return activeStep > 0 || data.package !== undefined;
}

function progressOf({ stepper, form }: RootState): string | undefined {
  return hasBegun(stepper) ? JSON.stringify(keptOf(stepper, form)) : undefined;
}

function isOver({ activeStep }: StepperState): boolean {
  return activeStep >= registrationSteps.length;
}

function keptOf(stepper: StepperState, forms: RootState['form']): StepperState {
  if (!isOver(stepper)) return { ...stepper, drafts: draftsOf(stepper, forms) };
  const {
    package: packageId,
    idempotencyKey,
    paymentIntentClientSecret,
    cardPaymentIntent,
    confirmationMail,
    firstName = '',
    email = '',
  } = stepper.data;
  const shown = { package: packageId, idempotencyKey, cardPaymentIntent, confirmationMail, firstName, email };
  return { ...stepper, data: { ...shown, paymentIntentClientSecret }, drafts: {} };
}

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

/** Marks the page for a visitor who has paid, and the tab for the next load, see shared/head/head-script.ts. */
function markRegistered(registered: boolean): void {
  document.documentElement.toggleAttribute('data-registered', registered);
  writeStored('session', REGISTERED_STORAGE_KEY, registered ? 'yes' : undefined);
}
