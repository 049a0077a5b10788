import { useEffect, useState } from 'react';
import { useWait } from '#client/registration/payment/current-wait.ts';
import { useAppSelector } from '#client/store/hooks.ts';
import { selectRegistration } from '#client/store/stepper-slice.ts';
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
