"""T5's relative buckets, a bias that is trained

Each head learns one number for each bucket of distances, which is added to its attention scores (Raffel et al. 2020,
section 2.1). Near distances have a bucket each; farther ones share buckets that grow logarithmically, up to a distance
of 128, and all beyond share the last. So it is defined at every length. The parameter is not what is added: `value`
looks the bias up in it, and `gradient` takes the sum of what arrives at each bucket back to it.
"""

import numpy as np

from embedding_lab.positions import PositionalEncoding, Trainable

BUCKETS = 32  # the first half has a distance each
FARTHEST = 128


class T5Buckets(PositionalEncoding):
    name = "T5 buckets"

    def bias(self, length, heads):
        position = np.arange(length)
        # (length, length); what comes later is hidden by the mask, whatever its bucket
        distance = np.maximum(position[:, None] - position[None, :], 0)
        exact = BUCKETS // 2
        growth = np.log(np.maximum(distance, exact) / exact) / np.log(FARTHEST / exact)
        far = np.minimum(exact + (growth * (BUCKETS - exact)).astype(int), BUCKETS - 1)
        bucket = np.where(distance < exact, distance, far)  # (length, length)

        def value(parameter):
            return parameter[:, bucket]  # (heads, length, length)

        def gradient(parameter, dvalue):
            sums = [np.bincount(bucket.ravel(), weights=each.ravel(), minlength=BUCKETS) for each in dvalue]
            return np.array(sums)  # (heads, BUCKETS)

        return Trainable(np.zeros((heads, BUCKETS)), value=value, gradient=gradient)
