import type { Schema } from 'joi';

/**
 * A callback: what the gateway posts to an address that an integrator named (docs/integration.md#callbacks). The OpenAPI document
 * describes each as a webhook, so that generated clients have a type for its body.
 */
export interface CallbackDefinition {
  /** Name of the webhook in the document. */
  readonly name: string;
  readonly summary: string;
  /** Where the address comes from, and what the receiver has to know. */
  readonly description: string;
  readonly tags: readonly string[];
  readonly body: Schema;
}
