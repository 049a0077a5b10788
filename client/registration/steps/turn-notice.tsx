import { useEffect, useState, useSyncExternalStore } from 'react';
import { selectRegistration } from '#client/store/stepper-slice.ts';
import { useAppSelector } from '#client/store/store.ts';
import { registrationCopy } from '#shared/content/registration.ts';

const { inTurn, reassurance } = registrationCopy;

/** Why a submit takes this long, and when it is retried. Screen readers read only the reason, once. */
export function TurnNotice({ submitting }: { submitting: boolean }) {
  const wait = useWait();
  const { confirmationUnheard } = useAppSelector(selectRegistration);
  const waits = submitting && wait !== undefined;
  return (
    <div className={waits ? 'turn-notice' : undefined}>
      <div role="status">
        {waits && (
          <p>
            {[inTurn.why, !confirmationUnheard && reassurance.nothingCharged, inTurn.stay]
              .filter(Boolean)
              .join(' ')}
          </p>
        )}
      </div>
      {waits && (
        <p className="turn-notice__next">
          <Countdown untilMs={wait.untilMs} />
          <button type="button" className="button button--quiet" onClick={wait.sendNow}>
            {inTurn.now}
          </button>
        </p>
      )}
    </div>
  );
}

function Countdown({ untilMs }: { untilMs: number }) {
  const [nowMs, setNowMs] = useState(Date.now);
  useEffect(() => {
    const tick = setInterval(() => setNowMs(Date.now()), 1000);
    return () => clearInterval(tick);
  }, []);
  return <span role="timer">{inTurn.next(Math.max(0, Math.ceil((untilMs - nowMs) / 1000)))}</span>;
}

/** A request that waits to be sent again, because the payment provider is busy. */
interface Wait {
  /** When it is sent again, in the milliseconds of `Date.now()`; in the past while it is being sent. */
  untilMs: number;
  /** Sends it now. */
  sendNow: () => void;
}

let current: Wait | undefined;
const listeners = new Set<() => void>();

/** The request that is waiting at the moment, if any; the server renders none. */
const useWait = () =>
  useSyncExternalStore(
    subscribe,
    () => current,
    () => undefined,
  );

/**
 * Waits, shown on the page, until the time is over, the visitor presses to send now, or the signal aborts.
 */
export async function waitVisibly(seconds: number, signal?: AbortSignal): Promise<void> {
  let wait: Wait | undefined;
  await new Promise<void>((sendNow) => {
    wait = { untilMs: Date.now() + seconds * 1000, sendNow };
    show(wait);
    setTimeout(sendNow, seconds * 1000);
    signal?.addEventListener('abort', () => sendNow(), { once: true });
  });
  if (wait && current === wait) show({ ...wait, untilMs: Date.now() });
}

/** Stops showing a wait on the page. */
export function endWait(): void {
  show(undefined);
}

function show(wait: Wait | undefined): void {
  current = wait;
  for (const notify of listeners) notify();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
