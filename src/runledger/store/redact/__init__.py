"""The only door out: no secret passes into a record, a view, a cassette or the console.

redactor       puts placeholders in place of secrets: the one thing that other rooms use
own_names      names of fields that are never hidden, since records are read by them
environment    which values of an environment are secrets
placeholder    what stands where a secret stood
telling        names that tell what they hold; assignments, quoting, looks: such names in texts
listener       knows what such names told of, wherever else it stands; memory: for records of runs
recognition    finds secrets again by the hashes of their placeholders
spelling       the forms in which a known secret may be written
token_shapes   the shapes of well-known tokens; key_blocks, urls, logins: known by their frame
"""
