import type { ComponentType } from 'react';
import type { Chunk } from '#client/loading/load-chunk.ts';

type Step = Chunk<{ default: ComponentType }>;

/** The steps that arrive with their forms when they are needed. */
export const contactStep: Step = { id: 'contact-step', load: () => import('./contact-step.tsx') };
export const paymentStep: Step = { id: 'payment-step', load: () => import('./payment-step.tsx') };
