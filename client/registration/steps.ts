/** The steps that arrive with their forms when they are needed. */
export const contactStep = { id: 'contact-step', load: () => import('./contact-step.tsx') };
export const paymentStep = { id: 'payment-step', load: () => import('./payment-step.tsx') };
