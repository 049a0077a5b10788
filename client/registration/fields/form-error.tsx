import { type ReactNode, useEffect, useRef } from 'react';
import { OfficeEmailLink, OfficePhoneLink } from '#client/ui/office-links.tsx';
import { registrationCopy } from '#shared/content/registration.ts';

interface FormErrorProps {
  error: FormFailure | undefined;
  /** How to answer an error that is a question. */
  answer?: ReactNode;
}

/** The error of the whole form, announced when it appears (R3.5), and how to reach the office. */
export function FormError({ error, answer }: FormErrorProps) {
  const asks = Boolean(error && answer);
  const words = useRef<HTMLDivElement>(null);
  // Focuses the error when it is a question, so that its answer is next in the tab order.
  useEffect(() => {
    if (!asks) return;
    words.current?.focus({ preventScroll: true });
    words.current?.parentElement?.scrollIntoView({ block: 'nearest' });
  }, [asks]);
  return (
    <div className={asks ? 'form-question' : undefined}>
      <div ref={words} role="alert" tabIndex={asks ? -1 : undefined}>
        {error && <p className="form-error">{error.words}</p>}
        {error?.reassurance && <p className="form-reassurance">{error.reassurance}</p>}
      </div>
      {asks && answer}
      {error && (
        <p className="form-help">
          {registrationCopy.errorHelp} <OfficePhoneLink />, <OfficeEmailLink />
        </p>
      )}
    </div>
  );
}

/** Why a form could not be submitted, in words for the visitor. */
export interface FormFailure {
  /** What is wrong: the provider's words, the endpoint's, or the specification's (R4.4). */
  words: string;
  /** What happened to her money, where the words do not say it. */
  reassurance?: string | undefined;
  /** Whether another card may do. */
  cardRefused?: boolean | undefined;
}
