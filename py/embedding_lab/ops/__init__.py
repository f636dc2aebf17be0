"""The operations that the model computes with: one interface, and one module for each way to compute it.

Every function writes into arrays that its caller allocated, so that training allocates nothing from
step to step. A backward function takes the gradient of the loss with respect to what the forward
function wrote (its name starts with d) and
    - overwrites the gradient of an activation,
    - adds to the gradient of a parameter, since several places may use one parameter.

Shapes: N = B * T positions, B sequences of T characters, d the width, V the size of the vocabulary.
"""
