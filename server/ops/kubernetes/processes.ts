import * as v from 'valibot';
import type { Manifest } from './read-manifests.ts';

const labels = v.record(v.string(), v.string());
const probe = v.object({ httpGet: v.object({ path: v.string(), port: v.string() }) });
const container = v.looseObject({
  name: v.string(),
  image: v.string(),
  command: v.optional(v.array(v.string())),
  env: v.array(v.strictObject({ name: v.string(), value: v.string() })),
  envFrom: v.array(v.object({ configMapRef: v.object({ name: v.string() }) })),
  ports: v.array(v.strictObject({ name: v.string(), containerPort: v.number() })),
  startupProbe: probe,
  livenessProbe: probe,
  readinessProbe: probe,
  lifecycle: v.optional(v.object({ preStop: v.object({ sleep: v.object({ seconds: v.number() }) }) })),
  resources: v.object({ limits: v.object({ memory: v.string() }) }),
  volumeMounts: v.array(v.looseObject({ name: v.string(), mountPath: v.string() })),
});
const pod = v.looseObject({
  terminationGracePeriodSeconds: v.number(),
  containers: v.tuple([container]),
  volumes: v.array(
    v.looseObject({
      name: v.string(),
      secret: v.optional(
        v.strictObject({
          secretName: v.string(),
          defaultMode: v.number(),
          optional: v.literal(true),
          items: v.array(v.strictObject({ key: v.string(), path: v.string() })),
        }),
      ),
    }),
  ),
});
const deployment = v.object({
  selector: v.object({ matchLabels: labels }),
  strategy: v.unknown(),
  template: v.object({ metadata: v.object({ labels }), spec: pod }),
});

/** App and worker as the manifests run them, in this order. */
export function processes(manifests: readonly Manifest[]) {
  const deployments = manifests.filter(({ kind }) => kind === 'Deployment');
  return deployments.map(({ metadata: { name }, spec }) => {
    const { selector, strategy, template } = v.parse(deployment, spec);
    const [container] = template.spec.containers;
    const { image, ports } = container;
    return {
      name,
      image,
      ports,
      strategy,
      container,
      pod: template.spec,
      selector: selector.matchLabels,
      labels: template.metadata.labels,
    };
  });
}
