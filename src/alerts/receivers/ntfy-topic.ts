// Splits the address of a topic of ntfy, because requests in JSON name the topic in their body.

export interface NtfyTopic {
  readonly server: string;
  readonly topic: string;
}

const TOPIC_URL = /^(https?:\/\/[^/?#]+\/(?:[^?#]*\/)?)([-\w]{1,64})$/;

/** Returns undefined if the address does not end with a topic, such as https://ntfy.sh/TOPIC. */
export const splitTopic = (url: string): NtfyTopic | undefined => {
  const [, server, topic] = TOPIC_URL.exec(url) ?? [];
  return server !== undefined && topic !== undefined ? { server, topic } : undefined;
};
